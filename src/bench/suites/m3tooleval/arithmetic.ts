/**
 * The value of an arithmetic expression: numbers, `+ - * / **`, brackets, and signs before a number or bracket. As in Python, `**` goes from right to
 * left and binds closer than a sign before it.
 * @returns `undefined` for anything else, and for a division by zero.
 */
export function evaluate(expression: string): number | undefined {
  const tokens = expression.match(/\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|\*\*|[-+*/()]|\S/g) ?? [];
  let at = 0;
  const value = sum();
  return at === tokens.length && Number.isFinite(value) ? value : undefined;

  function take(...wanted: readonly string[]): string | undefined {
    const token = tokens[at];
    if (token === undefined || !wanted.includes(token)) return undefined;
    at += 1;
    return token;
  }

  function sum(): number {
    let total = product();
    for (;;) {
      const operator = take("+", "-");
      if (operator === undefined) return total;
      total = operator === "+" ? total + product() : total - product();
    }
  }

  function product(): number {
    let total = signed();
    for (;;) {
      const operator = take("*", "/");
      if (operator === undefined) return total;
      total = operator === "*" ? total * signed() : total / signed();
    }
  }

  function signed(): number {
    const sign = take("-", "+");
    if (sign !== undefined) return sign === "-" ? -signed() : signed();
    const base = atom();
    return take("**") === undefined ? base : base ** signed();
  }

  function atom(): number {
    if (take("(") !== undefined) {
      const inner = sum();
      return take(")") === undefined ? Number.NaN : inner;
    }
    const token = tokens[at];
    if (token === undefined || !/^[\d.]/.test(token)) return Number.NaN;
    at += 1;
    return Number(token);
  }
}
