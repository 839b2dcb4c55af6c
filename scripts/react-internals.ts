/**
 * Members that only the store of the React hooks uses. The build shortens their names, which bundlers of apps cannot do.
 * A member that a user can see must not be in this list.
 */
export const reactInternals =
  /^(isStopped|isElsewhere|sent|submitting|waiting|cancelWait|openTask|abortSubmit|emit|settled|settle|attached|storeIfCurrent|lockName|paramsOf|getInitial|getSnapshot|storageKey|attach|detach|replace|load|settings|snapshot|show|entry|listen|canForget|controller|history|received|save|isSubmitting|stored|notify|subscribe|index|methods|update|call|namespace|gateway|place|prefix|hasParams|isForced)$/;
