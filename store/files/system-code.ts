/** Code of a system error, such as `ENOENT`; empty for any other error. */
export const systemCode = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
