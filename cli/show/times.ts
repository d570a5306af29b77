/** A time as a person reads it, in the zone of this machine: `2026-11-22 14:05`. */
export function sayTime(ms: number): string {
  const time = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
