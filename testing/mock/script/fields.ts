import { z } from "zod";

/** Maximum characters of a block with its repetitions expanded. */
export const blockCharsMax = 64 * 1024 * 1024;
/** The longest delay or stall: one day. */
export const delayMsMax = 24 * 60 * 60 * 1000;

type Shape = Record<string, z.ZodType>;

/** Schema of an object with exactly these fields. Its error lists them, and the fields `beside` them. */
export function fields<const S extends Shape>(what: string, shape: S, beside: readonly string[] = []) {
  const names = [...Object.keys(shape), ...beside].join(", ");
  return z.strictObject(shape, { error: `${what} with the fields ${names}` });
}

/** Parse with the schema that `pick` returns for the value, and forward its issues. */
export function schemaFor<T>(pick: (value: unknown) => z.ZodType<T>) {
  return z.unknown().transform((value, context): T => {
    const result = pick(value).safeParse(value);
    if (result.success) return result.data;
    forwardIssues(result.error, context);
    return z.NEVER;
  });
}

/** Add the issues of an inner parse to the outer one. */
export function forwardIssues(error: z.ZodError, context: z.RefinementCtx): void {
  for (const issue of error.issues) {
    const { message, path } = issue;
    context.addIssue({ code: "custom", message, path, params: { unknownField: unknownField(issue) } });
  }
}

/** The unknown field of an issue, if any. */
export function unknownField(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code === "unrecognized_keys") return issue.keys[0];
  const passed: unknown = issue.code === "custom" ? issue.params?.unknownField : undefined;
  return typeof passed === "string" ? passed : undefined;
}

/** Schema of a string; `what` describes it in the error. */
export const text = (what: string) => z.string({ error: what });

/** Schema of a non-negative whole number. */
export const count = (what: string, max = Number.MAX_SAFE_INTEGER) =>
  z.int({ error: what }).min(0, { error: what }).max(max, { error: what });

const repetition = fields("a repetition", {
  repeat: text("the text to repeat").min(1, { error: "the text to repeat, not empty" }),
  times: count("how many times: a whole number", blockCharsMax),
}).refine(({ repeat, times }) => repeat.length * times <= blockCharsMax, {
  error: `a repetition of at most ${blockCharsMax} characters`,
});

export interface RepeatableText {
  readonly text: string;
  /** Length of the repeated text: the default size of a delta. */
  readonly unit?: number | undefined;
}

/** Schema of a text, or `{repeat, times}`. */
export const repeatableText = (what: string) =>
  schemaFor<RepeatableText>((value) =>
    isRecord(value)
      ? repetition.transform(({ repeat, times }) => ({ text: repeat.repeat(times), unit: repeat.length }))
      : text(`${what}: a text, or {repeat, times}`).transform((text) => ({ text })),
  );

/** Schema of a number, or a range `[min, max]` to draw from. */
export function range(what: string, min: number, max: number) {
  const error = `${what}: a number from ${min} to ${max}, or [min, max]`;
  const number = z.number({ error }).min(min, { error }).max(max, { error });
  return schemaFor((value) =>
    Array.isArray(value)
      ? z
          .tuple([number, number], { error })
          .refine(([low, high]) => low <= high, { error: `${what}: [min, max] with min not above max` })
          .transform(([low, high]) => ({ min: low, max: high }))
      : number.transform((one) => ({ min: one, max: one })),
  );
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
