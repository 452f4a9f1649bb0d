/** An abort controller whose signal counts who listens to it. */
export function countedController(): { readonly controller: AbortController; listeners(): number } {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set<unknown>();
  const { addEventListener, removeEventListener } = AbortSignal.prototype;
  Object.assign(signal, {
    addEventListener(...[type, listener, options]: Parameters<AbortSignal["addEventListener"]>) {
      listeners.add(listener);
      addEventListener.call(signal, type, listener, options);
    },
    removeEventListener(...[type, listener, options]: Parameters<AbortSignal["removeEventListener"]>) {
      listeners.delete(listener);
      removeEventListener.call(signal, type, listener, options);
    },
  });
  return { controller, listeners: () => listeners.size };
}
