// Checked by the compiler: `@ts-expect-error` fails where there is no error.
import { z } from "zod";
import { defineTool } from "../../index.ts";

const input = z.object({ sides: z.int(), label: z.string().optional() });

// The arguments of `run` have the types of the schema.
export const roll = defineTool({
  name: "roll_dice",
  description: "Rolls dice.",
  input,
  effect: "none",
  run: ({ sides, label }) => {
    const text: string | undefined = label;
    return `${text ?? "You rolled"} ${sides.toFixed(0)}`;
  },
});

export const unknownArgument = defineTool({
  name: "roll_dice",
  description: "Rolls dice.",
  input,
  effect: "none",
  // @ts-expect-error
  run: ({ faces }) => `${faces}`,
});

export const unknownEffect = defineTool({
  name: "roll_dice",
  description: "Rolls dice.",
  input,
  // @ts-expect-error
  effect: "sometimes",
  run: () => "",
});

// @ts-expect-error A tool states its effect: approval depends on it (L7).
export const noEffect = defineTool({ name: "roll_dice", description: "", input, run: () => "" });
