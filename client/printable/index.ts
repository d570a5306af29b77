export { printable, printableOutput } from "./printable.ts";
