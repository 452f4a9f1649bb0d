/**
 * Processor time that this process has used, in milliseconds, garbage collection and compilation included. Unlike the time on the wall it does not
 * grow when other programs want the processor too.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
