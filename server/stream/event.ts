/** One server-sent event. What it tells is JSON, so that it has no line breaks. */
export function eventText(json: string, { event, id }: { event?: string; id?: string } = {}): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  const place = id === undefined ? "" : `id: ${id}\n`;
  return `${name}${place}data: ${json}\n\n`;
}
