package neighbors

import (
	"context"
	"fmt"
)

// lists fills batches with lists of rows, one list after another.
type lists struct {
	room, most int
	batch      *Batch
	rows       []uint32 // those to list
	flush      func(*Batch) (*Batch, error)
	done, sent int // of rows: listed, and delivered
}

// begin starts on some rows.
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

// An engine carries out a plan for the rows it is given. It belongs to one
// goroutine.
type engine interface {
	// join passes the lists of rows to flush, in one batch or several, and
	// goes on with the batch that flush returns. It returns the rows that have
	// not been delivered when flush or ctx fails, or a list outgrows the
	// memory.
	join(ctx context.Context, rows []uint32, flush func(*Batch) (*Batch, error)) (undone []uint32, err error)
	// count sets count[row] for rows.
	count(ctx context.Context, rows []uint32, count []int64) error
}
