//! Words of other languages than English, for the lexicon: German, French, Spanish, Portuguese, Italian and Dutch. Words that are English as well,
//! or names of tools (*die*, *tag*, *dag*, *ora*), are left out.

use super::roles::{ALWAYS, Relation, Role};

/// Words with a role.
pub(super) const ROLES: [(Role, &str); 16] = [
    (
        Role::Filler,
        "der dem den ein eine einen wir unser unsere unserem unseren unserer le les des du nous notre nos los las una de di unos gli el liegt \
         nuestro nuestra nosso nossa nostro nostra um uma het een onze wordt",
    ),
    (
        Role::Negation,
        "nicht kein keine keinen keinem keiner ohne ne sans sin não sem non senza niet geen zonder",
    ),
    (
        Role::Since,
        "jetzt nun heute inzwischen mittlerweile neuerdings maintenant désormais dorénavant aujourd'hui ahora actualmente agora atualmente adesso \
         attualmente nu voortaan tegenwoordig",
    ),
    (
        Role::Hearsay,
        "vielleicht eventuell wahrscheinlich vermutlich angeblich peut-être probablement quizás probablemente talvez provavelmente forse \
         probabilmente misschien waarschijnlijk",
    ),
    (
        Role::Tentative,
        "könnte könnten erwägen überlegen planen pourrait pourraient podría podríamos poderia poderíamos potremmo potrebbe zouden",
    ),
    (
        Role::Use,
        "nutzen benutzen verwenden usamos utilizamos utilisons utilise usa usiamo utilizziamo gebruiken",
    ),
    (
        Role::Day,
        "montag montags dienstag dienstags mittwoch mittwochs donnerstag donnerstags freitag freitags samstag samstags sonntag sonntags lundi mardi \
         mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo segunda-feira terça-feira quarta-feira \
         quinta-feira sexta-feira lunedì martedì mercoledì giovedì venerdì sabato domenica maandag dinsdag woensdag donderdag vrijdag zaterdag \
         zondag täglich wöchentlich monatlich quotidien hebdomadaire diario semanal mensual diário mensal settimanale dagelijks wekelijks",
    ),
    (Role::State(ALWAYS, 0), "immer toujours siempre sempre altijd"),
    (Role::State(ALWAYS, 1), "nie niemals jamais nunca nooit"),
    (
        Role::Unit(1, 1),
        "millisekunden millisecondes milisegundos millisecondi",
    ),
    (
        Role::Unit(1, 1_000),
        "sekunde sekunden seconde secondes segundos secondi seconden",
    ),
    (Role::Unit(1, 60_000), "minuten minutos minuti"),
    (Role::Unit(1, 3_600_000), "stunde stunden heures horas uren"),
    (Role::Unit(1, 86_400_000), "tage tagen jours días dias giorni dagen"),
    (Role::Unit(1, 604_800_000), "wochen semaines semanas settimane weken"),
    (Role::Unit(3, 1), "prozent"),
];

/// Words that say that something has changed.
pub(super) const CHANGES: &str = "jetzt nun mehr wieder inzwischen mittlerweile neuerdings umgestellt umgezogen gewechselt umbenannt ersetzt abgelöst verschoben migriert erhöht \
     gesenkt angehoben stattdessen désormais dorénavant maintenant remplacé remplacée migré migrée déplacé déplacée renommé renommée passé \
     passée passés basculé augmenté réduit ahora actualmente cambiado cambió cambiamos migrado migramos movido movimos reemplazado reemplazamos \
     sustituido renombrado pasamos agora mudou mudamos trocamos substituído substituída renomeado passou passamos adesso passato passati \
     spostato spostata sostituito sostituita migrato migrata rinominato cambiato nu voortaan overgestapt verplaatst vervangen hernoemd verhoogd verlaagd";

/// Further words that occur in statements of change.
pub(super) const OF_CHANGE: &str = "statt anstatt anstelle ersetzt lieu lugar vez invece plus più ya jamais plaats";

/// Words that say that something has ended or was replaced.
pub(super) const ENDS: &str = "vorher abgeschaltet ersetzt entfernt statt anstelle nicht kein mehr abgelöst eingestellt remplacé remplacée supprimé \
     supprimée abandonné reemplazado eliminado retirado sustituido substituído removido abandonado sostituito rimosso eliminato \
     vervangen verwijderd";

/// Further words that say, for outlines, that something has changed.
pub(super) const OUTLINE_CHANGES: &str =
    "seit vorher sofort abgeschaltet abgelöst supprimé eliminado removido rimosso verwijderd";

/// Words that refer to the future, for outlines.
pub(super) const AHEAD: &str = "würde vielleicht bald künftig bientôt binnenkort";

/// Function words, by which no subject is told.
pub(super) const EMPTY: &str = "auf nach und die das von im am zu zum zur wird werden wurde wurden sind war bei aus als oder auch es sich hat haben man \
     ab sofort sie nur noch alle vom siehe einem einer eines des un une est sont été dans pour sur vers avec depuis chez qui que por en y al lo se \
     desde ser está están con para foi foram ao na pela pelo são está é com viene vengono stato stata sono nel nella dal dalla è il che \
     zijn van naar bij uit wordt werd sinds";

/// Words that say that something is true in addition.
pub(super) const ADDITIONS: &str = "auch zusätzlich ebenfalls aussi également también además também inoltre anche ook";

/// Words between a subject and a value.
pub(super) const RELATIONS: [(&str, Relation); 4] = [
    (
        "ist heißt heisst lautet beträgt est s'appelle es è é sono são",
        Relation::Is,
    ),
    ("über mit avec par con por com", Relation::With),
    ("auf sur en", Relation::Place),
    ("für para pour voor", Relation::Other),
];
