export { sayComplete } from "./complete.ts";
export { Printer } from "./printer.ts";
