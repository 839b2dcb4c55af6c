/** Why a target is missed, by row, with the profile that shows it. */
export const notes: Readonly<Record<string, string>> = {};
