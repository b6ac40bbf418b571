package neighbors

import "fmt"

// lists fills batches with the lists of rows, one list after the other.
type lists struct {
	room, most int
	batch      *Batch
	rows       []uint32 // those to do
	flush      func(*Batch) (*Batch, error)
	done, sent int // of rows: listed, and delivered
}

// begin starts on rows, of which there are some.
func (l *lists) begin(rows []uint32, flush func(*Batch) (*Batch, error)) {
	if l.batch == nil {
		l.batch = &Batch{}
	}
	l.rows, l.flush, l.done, l.sent = rows, flush, 0, 0
	l.empty()
}

func (l *lists) empty() {
	b := l.batch
	b.Offset = append(b.Offset[:0], 0)
	b.Index, b.Dist = b.Index[:0], b.Dist[:0]
}

// add ends the list of the next row, which has been appended to the batch, and
// delivers the batch if it is full or all is done.
func (l *lists) add() error {
	b := l.batch
	if n := int64(len(b.Index)) - b.Offset[len(b.Offset)-1]; n > int64(l.most) {
		return fmt.Errorf("%w: row %d has more than the %d neighbours that a batch may hold", ErrMemory, l.rows[l.done], l.most)
	}
	b.Offset = append(b.Offset, int64(len(b.Index)))
	l.done++
	if len(b.Index) < l.room && l.done < len(l.rows) {
		return nil
	}
	b.Rows = append(b.Rows[:0], l.rows[l.sent:l.done]...)
	next, err := l.flush(b)
	if next != nil {
		l.sent, l.batch = l.done, next
		l.empty()
	}
	return err
}

// undone returns the rows that have not been delivered.
func (l *lists) undone() []uint32 { return l.rows[l.sent:] }
