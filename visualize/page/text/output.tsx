import type { ReactNode } from "react";
import { Plain } from "./plain.tsx";

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape begins a colour
const COLOURS = /\x1b\[[0-9;:]*m/g;

/** The output of a command, without colours; an overwritten line is a line of its own. */
export function Output({ text }: { readonly text: string }): ReactNode {
  const plain = text.replace(COLOURS, "").replace(/\r+\n/g, "\n").replaceAll("\r", "\n").replace(/\n$/, "");
  if (plain === "") return <p className="text-empty">No output.</p>;
  return (
    <pre className="text-output">
      <Plain text={plain} />
    </pre>
  );
}
