// Checked by the compiler: `@ts-expect-error` fails where there is no error.
import { z } from "zod";
import { defineTool } from "../../index.ts";

const input = z.object({ sides: z.int(), label: z.string().optional() });

// The arguments of `run` have the types of the schema.
export const roll = defineTool({
  name: "roll_dice",
  description: "Rolls dice.",
  inputSchema: input,
  effect: "none",
  execute: ({ sides, label }) => {
    const text: string | undefined = label;
    return `${text ?? "You rolled"} ${sides.toFixed(0)}`;
  },
});

export const unknownArgument = defineTool({
  name: "roll_dice",
  description: "Rolls dice.",
  inputSchema: input,
  effect: "none",
  // @ts-expect-error
  execute: ({ faces }) => `${faces}`,
});

export const unknownEffect = defineTool({
  name: "roll_dice",
  description: "Rolls dice.",
  inputSchema: input,
  // @ts-expect-error
  effect: "sometimes",
  execute: () => "",
});

// @ts-expect-error A tool states its effect: approval depends on it (L7).
export const noEffect = defineTool({
  name: "roll_dice",
  description: "",
  inputSchema: input,
  execute: () => "",
});
