/** Rules about the icon: one file, a PNG or JPEG by its bytes. */
import { type IconType, identifyIcon } from '../folder/icon.ts';
import { isIconName } from '../folder/read.ts';
import { createFileFinding, type Rule } from './rule.ts';

const EXPECTED = 'must be a PNG (icon.png) or JPEG (icon.jpg, icon.jpeg)';

const FORMAT_NAMES: Record<IconType, string> = { 'image/png': 'PNG', 'image/jpeg': 'JPEG' };

function findContentProblem(bytes: Buffer): string | undefined {
  const kind = identifyIcon(bytes);
  if (kind.type === undefined) return kind.found;
  return kind.problem && `a ${FORMAT_NAMES[kind.type]} that is ${kind.problem}`;
}

export const iconRules: readonly Rule[] = [
  {
    id: 'icon-type',
    level: 'error',
    description: 'The icon is not a PNG or JPEG, is empty or truncated, or has another extension.',
    check: ({ contents: { icons, entries } }) => {
      const other = entries.find(({ name, kind }) => /^icon\.[^.]+$/i.test(name) && kind === 'file');
      if (icons.length === 0)
        return other ? [createFileFinding(other.name, `the icon ${EXPECTED} (got ${other.name})`)] : [];
      return icons.flatMap((icon) => {
        if (icon.state === 'unreadable')
          return [createFileFinding(icon.file, `could not read ${icon.file}: ${icon.reason}`)];
        const found = icon.state === 'read' ? findContentProblem(icon.bytes) : 'found' in icon ? icon.found : undefined;
        return found === undefined ? [] : [createFileFinding(icon.file, `${icon.file} ${EXPECTED} (got ${found})`)];
      });
    },
  },
  {
    id: 'icon-mislabelled',
    level: 'warning',
    description: 'The icon is a PNG named .jpg, or the reverse; it is sent with its actual type.',
    check: ({ contents: { icons } }) =>
      icons.flatMap((icon) => {
        const type = icon.state === 'read' ? identifyIcon(icon.bytes).type : undefined;
        const isPngName = /\.png$/i.test(icon.file);
        if (type === undefined || isPngName === (type === 'image/png')) return [];
        const message = `${icon.file} contains a ${FORMAT_NAMES[type]} and is sent as ${type}`;
        return [
          createFileFinding(icon.file, message, { fix: `Rename it to icon.${type === 'image/png' ? 'png' : 'jpg'}` }),
        ];
      }),
  },
  {
    id: 'icon-several',
    level: 'error',
    description: 'The folder contains more than one icon; another icon.* file is a note.',
    check: ({ contents: { entries } }) => {
      const [first, ...more] = entries.map(({ name }) => name).filter(isIconName);
      if (first === undefined) return [];
      const others = entries.map(({ name }) => name).filter((name) => /^icon\.[^.]+$/i.test(name) && !isIconName(name));
      return [
        ...more.map((name) =>
          createFileFinding(name, `${name} is a second icon, in addition to ${first}`, { fix: 'Remove one of them.' }),
        ),
        ...others.map((name) =>
          createFileFinding(name, `${name} is not sent: the icon is ${first}`, { level: 'note' }),
        ),
      ];
    },
  },
];
