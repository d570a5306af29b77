export { type BrowserOptions, systemBrowser } from "./browser.ts";
