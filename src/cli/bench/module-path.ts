/** Whether a value on the command line names a module and not something that triact knows by name. */
export function isModulePath(value: string): boolean {
  return /\.[cm]?[jt]s$/.test(value);
}
