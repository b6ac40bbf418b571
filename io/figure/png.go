package figure

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"math"
)

// ihdrEnd is where the first chunk of every PNG file, IHDR, ends.
const ihdrEnd = 8 + 4 + 4 + 13 + 4

// encodePNG encodes img with a pHYs chunk, which tells the resolution and so
// the size in print.
func encodePNG(img image.Image, dpi int) ([]byte, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, err
	}
	perMetre := uint32(math.Round(float64(dpi) / 0.0254))
	chunk := []byte{0, 0, 0, 9, 'p', 'H', 'Y', 's'}
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = append(chunk, 1) // the unit is the metre
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	data := b.Bytes()
	return bytes.Join([][]byte{data[:ihdrEnd], chunk, data[ihdrEnd:]}, nil), nil
}
