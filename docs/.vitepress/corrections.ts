/** Corrections of the components of VitePress's theme, which has no options for them. */
import type { Plugin } from 'vitepress';

/** Replaces parts of a component. Fails if one is no longer there. */
export function corrected(component: string, corrections: ReadonlyMap<string, string>): Plugin {
  return {
    name: `corrections of ${component}`,
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith(`/${component}.vue`)) return undefined;
      let result = code;
      for (const [original, correction] of corrections) {
        if (!result.includes(original)) throw new Error(`${component} of VitePress has changed`);
        result = result.replaceAll(original, () => correction);
      }
      return result;
    },
  };
}

/** Names that say what the buttons of the bar open or switch on, also before scripts run. */
export const namesOfBar = [
  corrected(
    'VPNavBarHamburger',
    new Map([['aria-label="mobile navigation"', 'aria-label="Main menu"']]),
  ),
  corrected('VPNavBarExtra', new Map([['label="extra navigation"', 'label="Appearance"']])),
  corrected(
    'VPSwitchAppearance',
    new Map([['class="VPSwitchAppearance"', 'class="VPSwitchAppearance" aria-label="Dark theme"']]),
  ),
];
