import { useTranslation } from 'react-i18next'

/** The target every machine has. The person gave it no name, so it is called in their language. */
const LOCAL = 'local'

/** Shown name of a target. */
export function useTargetName(): (target: { id: string; name: string }) => string {
  const { t } = useTranslation('common')
  return (target) => (target.id === LOCAL ? t('thisComputer') : target.name)
}
