/** Under which name the command was called: the second has the defaults of the frozen product's command. */
export type ProgramName = "signalbox" | "signalbox-roo";
