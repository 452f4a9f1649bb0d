import ivm from "isolated-vm";

/** A guest on isolated-vm alone: no limits but memory, no checks, no log. What the executor is compared with. */
export interface RawGuest {
  /** Runs the body of an async function with `tool(input)` in it, and gives what it returns. */
  run(code: string): Promise<unknown>;
  dispose(): void;
}

const BOOTSTRAP = `
const open = new Map();
let made = 0;
globalThis.tool = (input) => new Promise((resolve) => {
  made += 1;
  open.set(made, resolve);
  $0(made, JSON.stringify(input));
});
return (id, text) => {
  if (id === 0) {
    (0, eval)("(async () => {\\n" + text + "\\n})")().then((value) => $0(0, JSON.stringify(value) ?? ""));
    return;
  }
  const resolve = open.get(id);
  open.delete(id);
  resolve(JSON.parse(text));
};`;

/** Makes an isolate with a realm in which `tool` is the host's function. */
export async function createRawGuest(tool: (input: unknown) => unknown): Promise<RawGuest> {
  const isolate = new ivm.Isolate({ memoryLimit: 64, onCatastrophicError: () => process.abort() });
  const context = await isolate.createContext();
  let onValue: (text: string) => void = () => undefined;
  const settle = async (id: number, text: string) => {
    const result = await tool(JSON.parse(text));
    enter.applyIgnored(undefined, [id, JSON.stringify(result)]);
  };
  const receive = (id: number, text: string) => {
    if (id === 0) onValue(text);
    else void settle(id, text); // a tool of a benchmark does not fail
  };
  const send = new ivm.Callback(receive, { sync: true } as never);
  const enter: ivm.Reference = await context.evalClosure(BOOTSTRAP, [send], { result: { reference: true } });
  return {
    run: (code) =>
      new Promise((resolve) => {
        onValue = (text) => resolve(text === "" ? undefined : JSON.parse(text));
        enter.applyIgnored(undefined, [0, code], { timeout: 10_000 });
      }),
    dispose: () => isolate.dispose(),
  };
}
