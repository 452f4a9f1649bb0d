import { Buffer } from "node:buffer";

/** A message between this process and a child: a small JSON header and a text that is not escaped again. */
export interface Frame {
  readonly header: unknown;
  readonly text: string;
}

/** Larger frames are a violation; every limit that a sandbox can have fits. */
export const MAX_FRAME_BYTES = 64 * 1024 * 1024;
const MAX_HEADER_BYTES = 256 * 1024;
const PREFIX_BYTES = 8;

/** Bytes of a frame: length of all that follows, length of the header, header, text. */
export function encodeFrame(header: unknown, text = ""): Buffer {
  const headerText = JSON.stringify(header);
  const headerBytes = Buffer.byteLength(headerText);
  const textBytes = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + headerBytes + textBytes);
  frame.writeUInt32LE(4 + headerBytes + textBytes, 0);
  frame.writeUInt32LE(headerBytes, 4);
  frame.write(headerText, PREFIX_BYTES);
  frame.write(text, PREFIX_BYTES + headerBytes);
  return frame;
}

/** Puts frames together from bytes as they come. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #size = 0;

  /**
   * Takes bytes and gives the frames that they complete.
   * @throws RangeError or SyntaxError for bytes that are no frames. Nothing that follows can be read then.
   */
  read(chunk: Buffer): Frame[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const frames: Frame[] = [];
    for (let length = this.#nextLength(); length !== undefined && this.#size >= length; length = this.#nextLength()) {
      const bytes = this.#joined();
      frames.push(decode(bytes.subarray(0, length)));
      this.#chunks = length < bytes.length ? [bytes.subarray(length)] : [];
      this.#size -= length;
    }
    return frames;
  }

  #nextLength(): number | undefined {
    if (this.#size < PREFIX_BYTES) return undefined;
    const first = this.#chunks[0];
    const bytes = first !== undefined && first.length >= PREFIX_BYTES ? first : this.#joined();
    const length = bytes.readUInt32LE(0);
    if (length > MAX_FRAME_BYTES || length < 4) throw new RangeError("The frame is too large or too small.");
    return 4 + length;
  }

  #joined(): Buffer {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first !== undefined) return first;
    const all = Buffer.concat(this.#chunks, this.#size);
    this.#chunks = [all];
    return all;
  }
}

function decode(bytes: Buffer): Frame {
  const headerBytes = bytes.readUInt32LE(4);
  const textStart = PREFIX_BYTES + headerBytes;
  if (headerBytes > MAX_HEADER_BYTES || textStart > bytes.length) throw new RangeError("The header of the frame is too large.");
  return { header: JSON.parse(bytes.toString("utf8", PREFIX_BYTES, textStart)), text: bytes.toString("utf8", textStart) };
}
