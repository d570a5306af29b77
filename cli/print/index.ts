export { sayComplete } from "./complete.ts";
export { EventPrinter } from "./event-printer.ts";
export { Printer } from "./printer.ts";
