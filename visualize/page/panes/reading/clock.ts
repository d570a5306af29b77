const digits = (value: number, count: number): string => String(value).padStart(count, "0");

/** The time of day of `ms` since 1970, in the zone of this machine: `14:05:09.070`. */
export function clockOf(ms: number): string {
  const time = new Date(ms);
  if (Number.isNaN(time.getTime())) return "--:--:--";
  const hours = [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => digits(part, 2));
  return `${hours.join(":")}.${digits(time.getMilliseconds(), 3)}`;
}

/** How long it was: `0.4 s`, `12 ms`, `3 min 5 s`. */
export function lapseOf(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
