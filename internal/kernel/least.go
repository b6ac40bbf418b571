package kernel

import "fmt"

// MostLeast returns the length of the longest lists that Least takes for lists
// of k: where there are more candidates than that, it is cheaper to look for
// them within less.
func MostLeast(k int) int { return min(MaxLeast, max(512, 2*k)) }

// leastNeed returns how many candidates a list needs to have k results.
func leastNeed(skip []uint32, k int) int {
	if skip != nil {
		return k + 1
	}
	return k
}

// checkLeast panics if the arguments of Least do not fit each other.
func checkLeast(dist []float64, id []uint32, count, skip []uint32, k int, outDist []float64, outID []uint32) {
	total := 0
	for _, c := range count {
		total += int(c)
	}
	if room := min(len(dist), len(id)); room < total {
		panic(fmt.Sprintf("kernel: %d candidates in lists of %d", room, total))
	}
	if skip != nil && len(skip) < len(count) {
		panic(fmt.Sprintf("kernel: IDs to leave out for %d of %d lists", len(skip), len(count)))
	}
	if room, need := min(len(outDist), len(outID)), len(count)*k+Slack; k < 1 || room < need {
		panic(fmt.Sprintf("kernel: room for %d of %d results", room, need))
	}
}

func leastGeneric(dist []float64, id []uint32, count, skip []uint32, k int, outDist []float64, outID []uint32) {
	checkLeast(dist, id, count, skip, k, outDist, outID)
	need, most := leastNeed(skip, k), MostLeast(k)
	for i, c := range count {
		if n := int(c); n >= need && n <= most {
			leave := None
			if skip != nil {
				leave = skip[i]
			}
			to, toID := outDist[i*k:(i+1)*k], outID[i*k:(i+1)*k]
			if n <= keyBlock {
				leastOf(dist[:n], id[:n], leave, to, toID)
			} else {
				leastByKeys(dist[:n], id[:n], leave, keyingGeneric, to, toID)
			}
		}
		dist, id = dist[c:], id[c:]
	}
}

// leastOf fills a list with the least candidates. There must be enough.
func leastOf(dist []float64, id []uint32, skip uint32, outDist []float64, outID []uint32) {
	ClearList(outDist, outID)
	last := len(outDist) - 1
	for m, d2 := range dist {
		if d2 <= outDist[last] && id[m] != skip {
			insert(d2, id[m], outDist, outID)
		}
	}
}
