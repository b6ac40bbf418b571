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

// encodePNG encodes img with its resolution, which tells the size in print, and with
// what the figure says about itself.
func encodePNG(img image.Image, dpi int, info *Info) ([]byte, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, err
	}
	perMetre := uint32(math.Round(float64(dpi) / 0.0254))
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, perMetre), perMetre)
	parts := [][]byte{b.Bytes()[:ihdrEnd], pngChunk("pHYs", append(size, 1))} // the unit is the metre
	for _, t := range []struct{ keyword, text string }{{"Title", info.Title}, {"Software", info.Tool}, {"XML:com.adobe.xmp", info.XMP()}} {
		if t.text != "" {
			parts = append(parts, pngChunk("iTXt", []byte(t.keyword+"\x00\x00\x00\x00\x00"+t.text))) // not compressed, of no language
		}
	}
	return bytes.Join(append(parts, b.Bytes()[ihdrEnd:]), nil), nil
}

// pngChunk is a chunk with its length and checksum.
func pngChunk(kind string, data []byte) []byte {
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	chunk = append(append(chunk, kind...), data...)
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
}
