/**
 * Format a failed attempt and the delay before the `next` one as one line. The message's text is the status, the error
 * and the delay in seconds in a tag of Roo Code's form, or only the delay, as JSON.
 */
export function formatRetry(text: string, next = "Retrying"): string {
  const delay = /^\{"seconds":\s*(\d+)\}$/.exec(text)?.[1];
  if (delay !== undefined) return `${next} in ${delay} s.`;
  const seconds = /<retry_timer>(\d+)<\/retry_timer>/.exec(text)?.[1];
  const error = text
    .replace(/\s*<retry_timer>\d+<\/retry_timer>/, "")
    // The error often begins with the status as well.
    .replace(/^(\d{3})\n\1 /, "$1 ")
    .replaceAll("\n", " ");
  return seconds === undefined ? error : `${error} ${next} in ${seconds} s.`;
}
