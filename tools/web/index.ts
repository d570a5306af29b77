export { Access, type AccessOptions, URL_MAX_CHARS } from "./access.ts";
export { EXPECTED_HOST, type HostPattern, parseHost, parseHostPattern } from "./host.ts";
export { fetchPage, type WebPage } from "./page.ts";
