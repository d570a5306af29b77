/** The texts of error messages that are codes, as Roo Code records them. */
const TEXTS: Readonly<Record<string, string>> = {
  MODEL_NO_TOOLS_USED:
    "The model called no tool, although it had not completed the task. It was told to continue.",
};

/** Format the text of an error message. A code, such as `MODEL_NO_TOOLS_USED`, becomes a sentence. */
export const formatErrorText = (text: string): string =>
  Object.hasOwn(TEXTS, text) ? (TEXTS[text] ?? text) : text;
