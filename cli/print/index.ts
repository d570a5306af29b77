export { Printer } from "./printer.ts";
