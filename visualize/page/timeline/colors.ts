import { type RefObject, useEffect, useState } from "react";
import { AGENT_LOOP_STATES, type AgentLoopState } from "../../../machines/message/states.ts";
import type { BarKind } from "./lanes.ts";

/** The page's colors on the canvas: names of `tokens.css`. */
const TOKENS = [
  ...(["text", "muted", "line", "panel", "accent", "warn", "bad", "limited"] as const),
  ...AGENT_LOOP_STATES,
] as const;
type Token = (typeof TOKENS)[number];
/** The color of a token. */
export type Colors = (token: Token) => string;

/** The color of each kind of bar. A state has its own. */
const TOKEN_OF = {
  request: "muted",
  response: "streaming",
  condense: "limited",
  retry: "bad",
  pacing: "warn",
  tool: "running",
  subtask: "idle",
  ask: "waiting_for_input",
  review: "limited",
  hook: "limited",
  opening: "muted",
  context: "muted",
  checkpoint: "muted",
} as const satisfies Readonly<Record<Exclude<BarKind, AgentLoopState>, Token>>;

const isActivity = (kind: BarKind): kind is keyof typeof TOKEN_OF => kind in TOKEN_OF;

export const tokenOf = (kind: BarKind): Token => (isActivity(kind) ? TOKEN_OF[kind] : kind);

/** The colors of the theme in which the element is shown; undefined before the first one is known. */
export function useColors(element: RefObject<HTMLElement | null>): Colors | undefined {
  const [colors, setColors] = useState<Colors | undefined>(undefined);
  useEffect(() => {
    const shown = element.current;
    if (shown === null) return;
    const read = (): void => setColors(() => colorsIn(shown));
    read();
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", read);
    const themes = new MutationObserver(read);
    const page = shown.closest(".signalbox");
    if (page !== null) themes.observe(page, { attributeFilter: ["data-theme"] });
    return () => {
      dark.removeEventListener("change", read);
      themes.disconnect();
    };
  }, [element]);
  return colors;
}

/** A custom property may be `light-dark(…)`, which only a color of an element resolves. */
function colorsIn(element: HTMLElement): Colors {
  const probe = document.createElement("i");
  element.append(probe);
  const known = new Map<Token, string>();
  for (const token of TOKENS) {
    probe.style.color = `var(--${token})`;
    known.set(token, getComputedStyle(probe).color);
  }
  probe.remove();
  return (token) => known.get(token) ?? "";
}
