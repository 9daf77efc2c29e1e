import { VisuallyHidden } from '@mantine/core';
import { type BarsProps, valueText } from './bars.tsx';

/** The same as a chart, for those who cannot see it: a line for each bar with something in it. */
export const BarsTable = ({ label, data, series }: Pick<BarsProps, 'label' | 'data' | 'series'>) => (
  <VisuallyHidden>
    <table>
      <caption>{label}</caption>
      <thead>
        <tr>
          <th>Time</th>
          {series.map((name) => (
            <th key={name}>{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {data
          .filter(({ values }) => Object.keys(values).length > 0)
          .map(({ at, values }) => (
            <tr key={at}>
              <td>{at}</td>
              {series.map((name) => (
                <td key={name}>{valueText(values[name] ?? 0, name)}</td>
              ))}
            </tr>
          ))}
      </tbody>
    </table>
  </VisuallyHidden>
);
