import { z } from "zod";

/** The most characters that one block may come to when its repetitions are written out. */
export const blockCharsMax = 64 * 1024 * 1024;
/** The longest delay or stall: one day. */
export const delayMsMax = 24 * 60 * 60 * 1000;

type Shape = Record<string, z.ZodType>;

/** An object with exactly these fields. Its error names them, and those `beside` them that others read. */
export function fields<const S extends Shape>(what: string, shape: S, beside: readonly string[] = []) {
  const names = [...Object.keys(shape), ...beside].join(", ");
  return z.strictObject(shape, { error: `${what} with the fields ${names}` });
}

/** Parses with the schema that `pick` finds for the value, and passes its problems on as they are. */
export function chosen<T>(pick: (value: unknown) => z.ZodType<T>) {
  return z.unknown().transform((value, context): T => {
    const result = pick(value).safeParse(value);
    if (result.success) return result.data;
    passOn(result.error, context);
    return z.NEVER;
  });
}

/** Makes the problems of an inner parse problems of the outer one. */
export function passOn(error: z.ZodError, context: z.RefinementCtx): void {
  for (const issue of error.issues) {
    const { message, path } = issue;
    context.addIssue({ code: "custom", message, path, params: { unknownField: unknownField(issue) } });
  }
}

/** The field that should not be there, where that is the problem. */
export function unknownField(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code === "unrecognized_keys") return issue.keys[0];
  const passed: unknown = issue.code === "custom" ? issue.params?.unknownField : undefined;
  return typeof passed === "string" ? passed : undefined;
}

/** A string whose error says what it is. */
export const words = (what: string) => z.string({ error: what });

/** A whole number, or zero. */
export const count = (what: string, max = Number.MAX_SAFE_INTEGER) =>
  z.int({ error: what }).min(0, { error: what }).max(max, { error: what });

const repetition = fields("a repetition", {
  repeat: words("the text to repeat").min(1, { error: "the text to repeat, not empty" }),
  times: count("how many times: a whole number", blockCharsMax),
}).refine(({ repeat, times }) => repeat.length * times <= blockCharsMax, {
  error: `a repetition of at most ${blockCharsMax} characters`,
});

export interface Written {
  readonly text: string;
  /** The length of what was repeated: the natural size of a delta. */
  readonly unit?: number | undefined;
}

/** A text, or `{repeat, times}`. */
export const written = (what: string) =>
  chosen<Written>((value) =>
    isRecord(value)
      ? repetition.transform(({ repeat, times }) => ({ text: repeat.repeat(times), unit: repeat.length }))
      : words(`${what}: a text, or {repeat, times}`).transform((text) => ({ text })),
  );

/** A number, or `[min, max]` to draw from. */
export function range(what: string, min: number, max: number) {
  const error = `${what}: a number from ${min} to ${max}, or [min, max]`;
  const number = z.number({ error }).min(min, { error }).max(max, { error });
  return chosen((value) =>
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
