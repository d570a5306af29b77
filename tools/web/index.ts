export {
  Access,
  type AccessOptions,
  privateHostError,
  URL_MAX_CHARS,
} from "./access.ts";
export { markExternal } from "./external-text.ts";
export { EXPECTED_HOST, type HostPattern, parseHost, parseHostPattern } from "./host.ts";
export { fetchPage, type WebPage } from "./page.ts";
export { ProxyError, proxiedFetch } from "./proxy.ts";
