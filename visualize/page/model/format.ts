import { formatAge } from "../../../present/age.ts";

/** Short formats of numbers and times, of constant width where they change. */

const two = (value: number): string => String(value).padStart(2, "0");

/** A time of day, to the millisecond. */
export function clock(at: number): string {
  const date = new Date(at);
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  return `${time}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** A duration in milliseconds, in a suitable unit. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${two(Math.floor((ms % 60_000) / 1_000))} s`;
  return formatAge(ms);
}

/** A round time since the start, as short as it can be: `1.5 s`, `2 min 30 s`. */
export function elapsed(ms: number): string {
  if (ms === 0) return "0";
  if (ms < 60_000) return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`;
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60];
  const parts = [`${hours} h`, `${minutes} min`, `${(ms % 60_000) / 1_000} s`];
  return parts.filter((part) => !part.startsWith("0 ")).join(" ");
}

/** How long ago a time was that lies so many milliseconds back: `4 min ago`. */
export const ago = (ms: number): string => `${formatAge(ms)} ago`;

/** A cost as everywhere: empty for 0, which may be a request without a known cost that was cut off. */
export const costText = (cost: number | null): string => (cost === 0 ? "" : dollars(cost));

/** US dollars, also below a cent; null: unknown. */
export function dollars(cost: number | null): string {
  if (cost === null) return "cost unknown";
  if (cost === 0) return "$0.00";
  return `$${cost.toFixed(cost < 0.1 ? 4 : 2)}`;
}

/** A count, with k and M where it is large. */
export function count(value: number): string {
  if (value < 10_000) return String(value);
  if (value < 1_000_000) return `${(value / 1_000).toFixed(1)}k`;
  return `${(value / 1_000_000).toFixed(2)}M`;
}

/** A whole number with thousands separators: 12,345. */
export const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

/** The message of an error. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
