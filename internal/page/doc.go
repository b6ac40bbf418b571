// Package page writes pages to explore: one HTML file with the data and the script that
// shows them, which needs no network.
//
// Data are blocks, each raw deflate in base64. Numbers that are drawn are embedded as
// codes of two or three bytes, see [Column]; what is asked for exactly is embedded as
// CSV. The script of folder _web is bundled by 'make web' into asset/page.js, which is
// committed. The policy of the page lets no other script run and nothing be fetched. The
// same data give the same bytes.
package page
