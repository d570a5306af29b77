import { z } from "zod";
import { ToolError } from "../error.ts";
import { type Access, URL_MAX_CHARS } from "../web/access.ts";

/** The schema of a URL that may be fetched. */
export const webUrl = (access: Access): z.ZodString =>
  z
    .string()
    .min(1)
    .max(URL_MAX_CHARS)
    .superRefine((text, context) => {
      const target = access.target(text);
      if (typeof target === "string") context.addIssue({ code: "custom", message: target });
    });

/** The URL to fetch. @throws ToolError `ARGUMENTS_INVALID` */
export function targetOf(access: Access, url: string): URL {
  const target = access.target(url);
  if (typeof target !== "string") return target;
  throw new ToolError("ARGUMENTS_INVALID", `Expected ${target}. Use another URL.`);
}

/** A text while it streams, without characters that could change how it is shown. */
export const escapeControls = (text: string): string =>
  text.replaceAll(/[\p{C}\p{Z}]/gu, (each) => encodeURIComponent(each.toWellFormed()));
