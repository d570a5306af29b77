export { Terminal } from "./terminal.ts";
