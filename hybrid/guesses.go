package hybrid

// byDim is a quantity that depends on the number of dimensions, from 1 on.
type byDim [9]float64

func (b byDim) at(dim int) float64 { return b[min(dim, len(b)-1)] }

// guesses are the assumed costs of devices until they have been measured: one CPU
// thread, and one GPU. They only decide who takes part; errors of a factor of two do
// little harm. They were fitted, with TestGuessesFit, to joins of 2 and 10 million
// points in 2 to 8 dimensions on 16 threads and an H200. To fit them again, run
// TestTables with -sections joins,nearest: it prints the expected times beside the
// measured ones and, for nearest neighbours, the costs of a query and of a neighbour
// for which they would agree.
var guesses = struct{ cpu, gpu costs }{
	cpu: costs{
		alone: 16e-9, point: 80e-9,
		cells:  byDim{1: 40e-9, 2: 40e-9, 3: 150e-9, 4: 1.2e-6, 5: 2e-6, 6: 3e-6, 7: 15e-6, 8: 40e-6},
		tested: 0.1e-9,
		level:  11e-9, levelAlone: 1.5e-9,
		tree: search{
			query: byDim{1: 0.4e-6, 2: 0.42e-6, 3: 0.6e-6, 4: 1.9e-6, 5: 5e-6, 6: 15e-6, 7: 30e-6, 8: 50e-6},
			each:  byDim{1: 15e-9, 2: 19e-9, 3: 25e-9, 4: 41e-9, 5: 130e-9, 6: 400e-9, 7: 800e-9, 8: 1.5e-6},
		},
		rings: search{
			query: byDim{1: 50e-9, 2: 60e-9, 3: 220e-9},
			each:  byDim{1: 4e-9, 2: 4.3e-9, 3: 6e-9},
		},
	},
	gpu: costs{
		begin: 4e-3, alone: 1.8e-9, byte: 1.0 / 40e9,
		cells:  byDim{3: 1.4e-9, 4: 3e-9, 5: 8e-9, 6: 17e-9, 7: 50e-9, 8: 140e-9},
		tested: 0.12e-12, listed: 0.73e-10,
		tree: search{
			query: byDim{1: 1.1e-9, 2: 1.2e-9, 3: 3e-9, 4: 6.3e-9, 5: 10e-9, 6: 16e-9, 7: 28e-9, 8: 48e-9},
			each:  byDim{1: 0.21e-9, 2: 0.22e-9, 3: 0.23e-9, 4: 0.24e-9, 5: 0.36e-9, 6: 0.55e-9, 7: 0.9e-9, 8: 1.5e-9},
		},
	},
}

// costs are the costs of a device in seconds. A field that is zero is ignored.
type costs struct {
	begin  float64 // of any join
	alone  float64 // of a point in the index, not shared by threads
	point  float64 // of a point in the index
	byte   float64 // of a byte of coordinates
	cells  byDim   // of a query, to find the cells around it
	tested float64 // of a candidate, per dimension
	listed float64 // of a neighbour that is sent

	// For nearest neighbours. Rings of cells are used where points are spread evenly
	// in few dimensions.
	level, levelAlone float64 // of a point and level of a tree; the part of it that threads cannot share
	tree, rings       search
}

// A search is the cost of a query for nearest neighbours, and of each neighbour that
// it asks for.
type search struct{ query, each byDim }

func (s search) of(dim, k int) float64 { return s.query.at(dim) + float64(k)*s.each.at(dim) }

const (
	// Rings of cells are searched in up to ringsDim dimensions for up to ringsMost
	// neighbours. Beyond ringsMany neighbours, each costs ringsMore times as much.
	ringsDim  = 3
	ringsMost = 256
	ringsMany = 64
	ringsMore = 3.7
)

// spread is the number of candidates for each neighbour: few where joins of many
// neighbours have fine cells.
var spread = byDim{1: 2, 2: 3, 3: 6, 4: 16, 5: 67, 6: 217, 7: 600, 8: 1500}
