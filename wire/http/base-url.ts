/** A base URL with a slash at its end, so that a path can follow. Empty: the folder of the page. */
export const baseOf = (url: string): string => (url === "" || url.endsWith("/") ? url : `${url}/`);
