//go:build cuda && linux

package cuda

import (
	"errors"
	"slices"
	"testing"
)

// An event of a GPU that has failed can be destroyed before its stream, which
// never comes to it, and its memory may be that of another event by then.
func TestEventsOfALostDevice(t *testing.T) {
	emulated(t, "EMULATOR_FAIL", "launch:1")
	var s [2]*Stream
	for i := range s {
		c, err := Open(i, images)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if s[i], err = c.NewStream(); err != nil {
			t.Fatal(err)
		}
		defer s[i].Close()
	}
	lost, sound := s[0], s[1]
	var never, later *Event
	err := lost.Do(func() (err error) {
		if never, err = lost.NewEvent(); err != nil {
			return err
		}
		p := widenParams{}
		return errors.Join(Launch(lost, "widen", 1, 256, 0, &p), lost.Record(never))
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := lost.Do(never.Sync); !errors.Is(err, ErrLost) {
			t.Errorf("%v, want ErrLost", err)
		}
	}
	want := numbers(1000, 7)
	var got []uint32
	err = sound.Do(func() (err error) {
		if got, err = Pinned[uint32](sound, len(want)); err != nil {
			return err
		}
		b, err := Alloc[uint32](sound, len(want))
		if err != nil {
			return err
		}
		if err := Upload(sound, b, want); err != nil {
			return err
		}
		never.Destroy()
		if later, err = sound.NewEvent(); err != nil {
			return err
		}
		return errors.Join(Download(sound, got, b), sound.Record(later))
	})
	if err != nil {
		t.Fatal(err)
	}
	lost.Close()
	err = sound.Do(func() error {
		defer later.Destroy()
		return later.Sync()
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("an event passed before what it was recorded behind was done, %v", err)
	}
	if err := sound.Do(func() error { return Unpin(sound, got) }); err != nil {
		t.Error(err)
	}
}
