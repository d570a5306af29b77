export { Terminal } from "./terminal.ts";
export { TerminalView } from "./view.ts";
