import { ModelError } from "../base/errors.js";
import type { FilePart, ImagePart, MediaPart } from "../base/message.js";

/** A picture, document or sound as protocols want to see it. Either `url` or `base64` is there. */
export interface Attachment {
  readonly kind: "image" | "file" | "audio" | "video";
  readonly mediaType: string;
  readonly url: string | undefined;
  readonly base64: string | undefined;
  readonly name: string | undefined;
}

/**
 * Reads a part's data: an `https:` or `data:` URL, or base64.
 * @throws ModelError for data that is neither.
 */
export function attachmentOf(part: ImagePart | FilePart | MediaPart): Attachment {
  const { data } = part;
  const [, fromUrl, parameters = "", encoded] = /^data:([^;,]*)((?:;[^,]*)?),(.*)$/s.exec(data) ?? [];
  const url = /^https?:\/\//i.test(data) ? data : undefined;
  const isBase64 = encoded === undefined || /;base64$/i.test(parameters);
  const base64 = url !== undefined ? undefined : isBase64 ? base64Of(encoded ?? data) : base64OfPercent(encoded);
  const mediaType = part.mediaType ?? (fromUrl || guessImageType(base64 ?? ""));
  return { kind: kindOf(part, mediaType), mediaType, url, base64, name: part.type === "file" ? part.name : undefined };
}

/** The attachment as a URL: its own, or one that holds the bytes. */
export function urlOf({ url, base64 = "", mediaType }: Attachment): string {
  return url ?? `data:${mediaType};base64,${base64}`;
}

/** The error for what a protocol has no place for. */
export function notTaken(protocol: string, { kind, mediaType, url }: Attachment, instead: string): ModelError {
  const what = `${kind === "file" ? "files" : kind === "image" ? "images" : kind} of type ${mediaType}${url === undefined ? "" : " by URL"}`;
  return new ModelError({ message: `${protocol} takes no ${what}. ${instead}`, errorClass: "invalid_request" });
}

/**
 * What a protocol makes of an attachment of a tool's result, or a note in its place. An error would come again with every later request of the
 * conversation.
 */
export function takenOrNoted<T>(take: () => T, note: (text: string) => T): T {
  try {
    return take();
  } catch (error) {
    if (error instanceof ModelError) return note(`(An attachment could not be shown: ${error.message})`);
    throw error;
  }
}

function base64Of(text: string): string {
  if (/^[A-Za-z0-9+/_\s-]*={0,2}\s*$/.test(text.slice(0, 200))) return text;
  throw unreadable();
}

/** The bytes of a data URL that is not in base64. */
function base64OfPercent(encoded: string): string {
  try {
    return btoa(Array.from(new TextEncoder().encode(decodeURIComponent(encoded)), (byte) => String.fromCharCode(byte)).join(""));
  } catch {
    throw unreadable();
  }
}

/** The error for data that cannot be read. */
export function unreadable(): ModelError {
  return new ModelError({
    message: "The data of an attachment is neither an https: or data: URL nor base64.",
    errorClass: "invalid_request",
  });
}

function kindOf(part: ImagePart | FilePart | MediaPart, mediaType: string): Attachment["kind"] {
  if (part.type === "image" || mediaType.startsWith("image/")) return "image";
  if (mediaType.startsWith("audio/")) return "audio";
  if (mediaType.startsWith("video/")) return "video";
  return "file";
}

const FIRST_CHARS: readonly (readonly [string, string])[] = [
  ["iVBOR", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lG", "image/gif"],
  ["UklG", "image/webp"],
];

function guessImageType(base64: string): string {
  return FIRST_CHARS.find(([start]) => base64.startsWith(start))?.[1] ?? "image/png";
}
