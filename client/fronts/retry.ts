/**
 * A failed attempt and the wait before the next, in one line. The row's text is the status, the failure and, in
 * a tag of the family's form, the seconds to wait.
 */
export function sayRetry(text: string): string {
  const seconds = /<retry_timer>(\d+)<\/retry_timer>/.exec(text)?.[1];
  const why = text
    .replace(/\s*<retry_timer>\d+<\/retry_timer>/, "")
    // The failure's own words often begin with the status.
    .replace(/^(\d{3})\n\1 /, "$1 ")
    .replaceAll("\n", " ");
  return seconds === undefined ? why : `${why} Trying again in ${seconds} s.`;
}
