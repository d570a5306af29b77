/** A URL without user, password, query and fragment, which may be secrets. Undefined if it is no URL. */
export function publicUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}
