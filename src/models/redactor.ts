/** Takes secrets out of text. */
export type Redact = (text: string) => string;

const REDACTED = "[redacted]";

/** Keys as providers make them, and what stands after `Bearer` or in a query, whoever they belong to. */
const KEY_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:sk|rk|pk|gsk|xai|csk|fw|hf|nvapi|pplx|tgp|r8)[-_][A-Za-z0-9_*-]{12,}/g, REDACTED],
  [/\bAIza[A-Za-z0-9_-]{20,}/g, REDACTED],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${REDACTED}`],
  [/([?&](?:key|api[-_]?key|access[-_]?token|token)=)[^&\s"']+/gi, `$1${REDACTED}`],
  [/(:\/\/)[^/\s:@"']+:[^/\s@"']+@/g, `$1${REDACTED}@`],
];

/** Shorter ones are words that would be found everywhere. */
const MIN_SECRET_LENGTH = 4;

/**
 * Makes a function that takes secrets out of text, in whatever form they may come back: as they are, URL-encoded, JSON-escaped, in base64.
 * @param secrets - Keys and header values that were sent.
 */
export function createRedactor(secrets: Iterable<string>): Redact {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET_LENGTH) continue;
    forms.add(secret).add(encodeURIComponent(secret.toWellFormed())).add(JSON.stringify(secret).slice(1, -1)).add(base64(secret));
  }
  const known = [...forms].filter((form) => form.length >= MIN_SECRET_LENGTH).sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const form of known) clean = clean.replaceAll(form, REDACTED);
    for (const [shape, replacement] of KEY_SHAPES) clean = clean.replace(shape, replacement);
    return clean;
  };
}

/** The values that a URL and a set of headers keep from others. */
export function secretsOf({
  apiKey,
  baseUrl,
  headers,
}: {
  apiKey: string;
  baseUrl: string;
  headers: Readonly<Record<string, string>>;
}): string[] {
  const secrets = [apiKey];
  for (const [name, value] of Object.entries(headers)) {
    if (/auth|key|token|secret|cookie|password/i.test(name)) secrets.push(value, value.replace(/^(?:Bearer|Basic)\s+/i, ""));
  }
  try {
    const { username, password, searchParams } = new URL(baseUrl);
    secrets.push(decodeURIComponent(username), decodeURIComponent(password), ...searchParams.values());
  } catch {
    // no URL: the request will say so
  }
  return secrets;
}

function base64(text: string): string {
  try {
    return btoa(text).replace(/=+$/, "");
  } catch {
    return text; // beyond Latin-1, which no header can carry
  }
}
