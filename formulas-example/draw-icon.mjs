/** Draws the icon of the card formula, 64 by 64 pixels, and writes it as a PNG: node formulas-example/draw-icon.mjs */
import { writeFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';

const SIZE = 64;
const CLEAR = [0, 0, 0, 0];
const CARD = [38, 84, 158, 255];
const STRIPE = [20, 40, 80, 255];
const CHIP = [240, 196, 84, 255];
const DIGITS = [235, 240, 250, 255];

/** The color of a pixel: a card with rounded corners, a stripe, a chip and four groups of digits. */
function colorAt(x, y) {
  const isWithin = (left, top, right, bottom) => x >= left && x < right && y >= top && y < bottom;
  const cornerX = Math.max(10 - x, x - 53, 0);
  const cornerY = Math.max(18 - y, y - 45, 0);
  if (!isWithin(4, 12, 60, 52) || cornerX ** 2 + cornerY ** 2 > 36) return CLEAR;
  if (isWithin(4, 18, 60, 25)) return STRIPE;
  if (isWithin(10, 29, 20, 36)) return CHIP;
  const isDigitGroup = isWithin(10, 41, 54, 45) && (x - 10) % 12 < 8;
  return isDigitGroup ? DIGITS : CARD;
}

/** CRC-32 of PNG (ISO/IEC 15948, annex D). */
function checksum(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function chunk(name, data) {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  crc.writeUInt32BE(checksum(named));
  return Buffer.concat([length, named, crc]);
}

const header = Buffer.alloc(13);
header.writeUInt32BE(SIZE, 0);
header.writeUInt32BE(SIZE, 4);
header.set([8, 6, 0, 0, 0], 8); // eight bits a channel, red green blue alpha

const rows = Array.from({ length: SIZE }, (_, y) => [
  0,
  ...Array.from({ length: SIZE }, (_, x) => colorAt(x, y)).flat(),
]);
const png = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  chunk('IHDR', header),
  chunk('IDAT', deflateSync(Buffer.from(rows.flat()), { level: 9 })),
  chunk('IEND', Buffer.alloc(0)),
]);
writeFileSync(new URL('tokenize-card/icon.png', import.meta.url), png);
