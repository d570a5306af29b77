/** Format an age in milliseconds in whole units: `12 s`, `3 min`, `2 h 05 min`, `3 d`. */
export function formatAge(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? `${hours} h ${String(minutes % 60).padStart(2, "0")} min`
    : `${Math.floor(hours / 24)} d`;
}
