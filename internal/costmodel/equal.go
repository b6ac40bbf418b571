package costmodel

// A Sample is the numbers of neighbours that some of a sequence of queries
// have: the first, and every Step-th after it. Gallet and Gowanlock,
// "Heterogeneous CPU-GPU epsilon grid joins" (HEGJoin), §4.3: a query between
// two samples is taken to have the larger of their numbers, so that buffers
// overflow seldom.
type Sample struct {
	Queries int // of the sequence
	Step    int
	Found   []uint32 // of queries 0, Step, 2·Step, …
}

// Step returns the step of a sample of one query in a hundred, or of about a hundred
// if they are fewer.
func Step(queries int) int { return max(min(sampled, queries/sampled), 1) }

const sampled = 100

// each calls f with the estimate of every query in turn.
func (s *Sample) each(f func(query int, estimate uint64)) {
	for k, found := range s.Found {
		at := k * s.Step
		f(at, uint64(found))
		between := found
		if k+1 < len(s.Found) {
			between = max(between, s.Found[k+1])
		}
		for i := at + 1; i < min(at+s.Step, s.Queries); i++ {
			f(i, uint64(between))
		}
	}
}

// Total estimates how many neighbours all queries have.
func (s *Sample) Total() uint64 {
	var total uint64
	s.each(func(_ int, estimate uint64) { total += estimate })
	return total
}

// Batches cuts the sequence into batches of about equal results, each of which
// is expected to fit room; a query that alone has more is a batch. It returns
// the ends of the batches, at least least of them where there are as many
// queries.
func (s *Sample) Batches(room uint64, least int) []int {
	if s.Queries == 0 {
		return nil
	}
	total := s.Total()
	room = max(room, 1)
	count := max(total/room+min(total%room, 1), uint64(max(least, 1)))
	if count >= uint64(s.Queries) {
		count = uint64(s.Queries)
	}
	var ends []int
	var sum, before uint64 // of the batch, of those before
	from := 0
	s.each(func(i int, estimate uint64) {
		// As many batches are to come as results are left for: sizes that are
		// rounded up early are made up for by those that follow.
		left := uint64(1)
		if done := uint64(len(ends)); done < count {
			left = count - done
		}
		target := min((total-before)/left+min((total-before)%left, 1), room)
		if sum+estimate > target && i > from {
			ends, before, sum, from = append(ends, i), before+sum, 0, i
		}
		sum += estimate
	})
	return append(ends, s.Queries)
}
