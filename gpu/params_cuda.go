//go:build cuda && linux

package gpu

import "skyjoin/internal/cuda"

// The Go twins of the kernels' parameter structs (gpu/kernels/*.cu), field by
// field; the emulator refuses a launch whose size differs.

const (
	maxDim     = 8
	maxGrid    = 8
	treeLevels = 6 // of 2^32 points
)

type geometry struct {
	Origin  [maxGrid]float64
	Inverse [maxGrid]float64
	Starts  [maxGrid]cuda.Ptr
	Top     [maxGrid]uint32
	Stride  [maxGrid]uint64
	Dim     [maxGrid]int32
	N       int32
	Reach   int32
	Wraps   uint32
	_       uint32
}

type imagesParams struct {
	X                         [maxDim]cuda.Ptr
	Count, Offset, Keys, Rows cuda.Ptr
	G                         geometry
	N, _                      uint32
}

// box is the sides of a periodic box, +Inf where an axis is open.
type box [maxDim]float64

type gridParams struct {
	G         geometry
	Scale     [maxGrid]float32
	X         cuda.Ptr
	ID        cuda.Ptr
	CellOf    cuda.Ptr
	CellKeys  cuda.Ptr
	CellStart cuda.Ptr
	Table     cuda.Ptr
	Buckets   cuda.Ptr
	By        cuda.Ptr
	Offset    cuda.Ptr
	TableSize uint64
	N         uint32
	Stride    uint32
	Cells     uint32
	Runs      uint32
	Span      uint32
	Shift     uint32
}

type sortParams struct {
	KeysIn, ValuesIn   cuda.Ptr
	KeysOut, ValuesOut cuda.Ptr
	Histogram          cuda.Ptr
	N, Tiles           uint32
	Shift, _           int32
}

type scanParams struct {
	In       cuda.Ptr
	Out32    cuda.Ptr
	Out64    cuda.Ptr
	Sums     cuda.Ptr
	N, Tiles uint32
}

type boundsParams struct {
	X         [maxDim]cuda.Ptr
	Low, High cuda.Ptr
	N         uint32
	Dim       int32
}

type crowdParams struct {
	X, Y            [maxDim]cuda.Ptr
	T               float64
	Found           cuda.Ptr
	Step, Queries   uint32
	Stride, Samples uint32
	Dim, Self       int32
}

// mapParams is for kernels that compute each element of an array from one of
// another.
type mapParams struct {
	In, Out cuda.Ptr
	N, _    uint32
}

type keysParams struct {
	X    [maxDim]cuda.Ptr
	Keys cuda.Ptr
	G    geometry
	N, _ uint32
}

type gatherParams struct {
	X         [maxDim]cuda.Ptr
	Sorted    cuda.Ptr
	Order     cuda.Ptr
	Keys      cuda.Ptr
	Flags     cuda.Ptr
	N, Stride uint32
	Dim, _    int32
}

type cellsParams struct {
	Keys      cuda.Ptr
	Flags     cuda.Ptr
	CellOf    cuda.Ptr
	CellKeys  cuda.Ptr
	CellStart cuda.Ptr
	N, _      uint32
}

type tableParams struct {
	CellKeys  cuda.Ptr
	CellStart cuda.Ptr
	Table     cuda.Ptr
	Size      uint64
	Cells, N  uint32
	Shift, _  uint32
}

type joinParams struct {
	Query, Data gridParams
	Box         box
	T           float64
	List        cuda.Ptr
	Count       cuda.Ptr
	Offset      cuda.Ptr
	Out         cuda.Ptr
	Base        uint64
	Lo, Hi      uint32
	Self        int32
	Positions   int32
}

type byRowParams struct {
	In, ID, Out cuda.Ptr
	N, _        uint32
}

type lookupParams struct {
	Place, Rows, Keys cuda.Ptr
	N, _              uint32
}

type clusterParams struct {
	Query, Data                     gridParams
	Box                             box
	T                               float64
	Half                            cuda.Ptr
	Parent, Lowest, Number, Cluster cuda.Ptr
	Count, Core                     cuda.Ptr
	LabelOut, CoreOut, CountOut     cuda.Ptr
	Min                             uint32
	HalfLo, HalfHi                  uint32
	Elements, Rows                  uint32
	Star                            int32
}

type patternParams struct {
	Query, Data              gridParams
	Box                      box
	T                        float64
	Cells, First             cuda.Ptr
	Stride, Size             [maxGrid]uint64
	Order, Next              cuda.Ptr
	Count, Pairs             cuda.Ptr
	Total, Lanes             cuda.Ptr
	Masks                    cuda.Ptr
	MaskAt                   [maxGrid]uint64
	Needs, Single            cuda.Ptr
	Capacity                 uint64
	Lo, Step, Queries, Ncell uint32
	Axes, K                  uint32
	Half, Self               int32
}

type singleParams struct {
	In, Out cuda.Ptr
	N       uint64
}

type workParams struct {
	Query, Data              gridParams
	List, Work, Keys, Values cuda.Ptr
	Entries, Batches         uint32
	Sorted, _                int32
}

type placeParams struct {
	Pairs, Cursor, Offset, Out cuda.Ptr
	N, Base                    uint64
}

type rankParams struct {
	Query, Data     gridParams
	Box             box
	List, Offset    cuda.Ptr
	Found, D2       cuda.Ptr
	RowOut, DistOut cuda.Ptr
	Base            uint64
	Lo, Hi, K, _    uint32
}

// treeParams is a bounding volume tree on the device (kernels/tree.cuh).
type treeParams struct {
	X, ID         cuda.Ptr
	Low, High     cuda.Ptr
	Least         cuda.Ptr
	First, Count  [treeLevels]uint32
	N, Stride     uint32
	Nodes, Levels uint32
}

type curveParams struct {
	X         [maxDim]cuda.Ptr
	Low, High [maxDim]float64
	Keys      cuda.Ptr
	N         uint32
	Dim, Bits int32
	_         uint32
}

type refineParams struct {
	X                [maxDim]cuda.Ptr
	Keys, Order      cuda.Ptr
	Flags, Group     cuda.Ptr
	Start, Large     cuda.Ptr
	Low, High        cuda.Ptr
	Member, Position cuda.Ptr
	Rows, Found      cuda.Ptr
	N, Groups        uint32
	Larger, Members  uint32
	Dim, Bits        int32
}

type stageParams struct {
	X           [maxDim]cuda.Ptr
	Order, Keys cuda.Ptr
	Low, High   cuda.Ptr
	N, Segments uint32
	Dim, Shift  int32
}

type levelParams struct {
	Low, High, Least          cuda.Ptr
	LowOut, HighOut, LeastOut cuda.Ptr
	N, Stride, Nodes          uint32
	Dim                       int32
}

type nearestParams struct {
	Tree            treeParams
	Box             box
	X, List         cuda.Ptr
	RowOut, DistOut cuda.Ptr
	Stride          uint32
	Lo, Hi, K       uint32
	Self            int32
	Blocks          uint32
}

// spanCounters are what the rounds of a spanning tree count.
type spanCounters struct {
	Largest     uint64
	Edges, Sure uint32
}

type spanParams struct {
	Tree                 treeParams
	Box                  box
	Core, Floor          cuda.Ptr
	Comp, Group          cuda.Ptr
	Place, Near          cuda.Ptr
	List, Next           cuda.Ptr
	Beyond, Weight, To   cuda.Ptr
	Best, Key, From      cuda.Ptr
	Open, Root, Size     cuda.Ptr
	Flags, Sums, Entry   cuda.Ptr
	Bits, Ends, Counters cuda.Ptr
	Alpha                float64
	Lo, Hi, K            uint32
	Listed, Others       uint32
	Entries, Level       uint32
	Whole, Dim, Angle    int32
}

type spanEdgesParams struct {
	Ends, Order, Out cuda.Ptr
	N, _             uint32
}

type sampleParams struct {
	X, Y             [maxDim]cuda.Ptr
	Box              box
	Query, Data, Out cuda.Ptr
	Scale            float64
	Queries, Points  uint32
	Slices           uint32
	Dim              int32
}

type positionsParams struct {
	Out  cuda.Ptr
	N, _ uint32
}

type pairsParams struct {
	Query, Data            cuda.Ptr
	QueryNear, DataNear    cuda.Ptr
	Side                   [maxDim]float64
	SideNear               [maxDim]float32
	Count, Pairs           cuda.Ptr
	Cursor, Found, Offset  cuda.Ptr
	Edge                   cuda.Ptr
	EdgeLow, EdgeHigh      cuda.Ptr
	Start                  cuda.Ptr
	RowCount, RowValue     cuda.Ptr
	RowOther, RowWords     cuda.Ptr
	Capacity               uint64
	Within                 float64
	ValueLow, ValueInverse float64
	WithinNear             float32
	Low, Top, Near         float32
	QueryStride            uint32
	DataStride             uint32
	Queries, Points        uint32
	Dim, Bins              uint32
	FirstKey, LastKey      uint32
	Shift, Copies          uint32
	Tile, Page             uint32
	QueryRow, DataRow      uint32
	Mode, Balanced         int32
}

type pairsNearParams struct {
	In, Out   cuda.Ptr
	Centre    [maxDim]float64
	Scale     float64
	Stride, N uint32
	Dim, _    uint32
}

type gridBinsParams struct {
	Query, Data        gridParams
	Box                box
	Edge, Start, Count cuda.Ptr
	Bins, Copies       uint32
	FirstKey, LastKey  uint32
	Shift              uint32
	Self               int32
	Card, CardCount    uint32
}
