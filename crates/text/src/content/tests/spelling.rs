//! Texts whose words have the same roots: which of them say the same.

use super::*;

#[track_caller]
fn assert_verdict(is_same: bool, pairs: &[(&str, &str)]) {
    let verdict = |a: &str, b: &str| {
        let (a, b) = (Statement::of(a), Statement::of(b));
        a.likeness(&b, 0.9).is_some()
    };
    let wrong: Vec<_> = (pairs.iter())
        .filter(|(a, b)| verdict(a, b) != is_same || verdict(b, a) != is_same)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn names_and_words_of_their_own_are_compared_whole() {
    assert_verdict(
        false,
        &[
            ("The API is served over HTTP", "The API is served over HTTPS"),
            ("The api is served over http", "The api is served over https"),
            ("Mail is fetched over IMAP", "Mail is fetched over IMAPS"),
            ("Users come from LDAP", "Users come from LDAPS"),
            ("Files are sent over FTP", "Files are sent over FTPS"),
            ("The queue speaks AMQP", "The queue speaks AMQPS"),
            ("Mail is sent over SMTP", "Mail is sent over SMTPS"),
            ("Sensors speak MQTT", "Sensors speak MQTTS"),
            ("We host the CMS", "We host the CM"),
            ("The AWS account is frozen", "The AW account is frozen"),
            ("The Windows build is slow", "The window build is slow"),
            ("Windows build is slow", "window build is slow"),
            ("The news page is cached", "The new page is cached"),
            ("The new service is slow", "The news service is slow"),
            ("The police list is public", "The policy list is public"),
            ("The client is written for .NET", "The client is written for net"),
            ("The payment process is slow", "The payment processing is slow"),
            ("Read the .env file first", "Read the env file first"),
            ("Die API läuft über HTTP", "Die API läuft über HTTPS"),
            ("La API usa LDAP", "La API usa LDAPS"),
            ("L'API passe par FTP", "L'API passe par FTPS"),
            ("Почта идёт по SMTP", "Почта идёт по SMTPS"),
            ("APIはHTTPで動く", "APIはHTTPSで動く"),
            ("接口使用HTTP", "接口使用HTTPS"),
            ("IT owns the laptops", "It owns the laptops"),
            ("Orders go to US servers", "Orders go to our servers"),
            (
                "HTTP on port 80 and HTTPS on port 443",
                "HTTPS on port 80 and HTTP on port 443",
            ),
        ],
    );
}

#[test]
fn units_and_currencies_are_what_they_are() {
    assert_verdict(
        false,
        &[
            ("The fee is 5 %", "The fee is 5 €"),
            ("The fee is 5%", "The fee is 5€"),
            ("The fee is 5 € a month", "The fee is 5 $ a month"),
            ("The fee is £5", "The fee is €5"),
            ("The fee is $5", "The fee is €5"),
            ("The loss is 5 %", "The loss is 5 ‰"),
            ("The drift is ±5 ms", "The drift is 5 ms"),
            ("Die Gebühr beträgt 5 €", "Die Gebühr beträgt 5 %"),
            ("La tarifa es de 5 €", "La tarifa es de 5 $"),
            ("Комиссия 5 ₽", "Комиссия 5 €"),
            ("手数料は5％です", "手数料は5€です"),
            ("费用是5￥", "费用是5€"),
        ],
    );
}

#[test]
fn check_marks_belong_to_what_they_stand_beside() {
    assert_verdict(
        false,
        &[
            ("Windows ✓, macOS ✗", "Windows ✗, macOS ✓"),
            ("Windows ✅ macOS ❌", "Windows ❌ macOS ✅"),
            ("✅ Windows, ❌ macOS", "❌ Windows, ✅ macOS"),
            ("gzip 👍 brotli 👎", "gzip 👎 brotli 👍"),
            ("gzip archives 👍", "gzip archives 👎"),
            ("❌ npm for the scripts", "npm for the scripts"),
            ("Status of the gate: 🔴", "Status of the gate: 🟢"),
            ("Windows ✓, macOS ✗, Linux ✓", "Windows ✓, macOS ✓, Linux ✗"),
            ("ログ ✅ 監視 ❌", "ログ ❌ 監視 ✅"),
        ],
    );
}

#[test]
fn operators_arrows_and_schedules_are_no_punctuation() {
    assert_verdict(
        false,
        &[
            ("The backup cron is * 3 * * *", "The backup cron is 3 * * * *"),
            ("Backup at `* 3 * * *` daily", "Backup at `3 * * * *` daily"),
            ("Promote staging → prod", "Promote staging ← prod"),
            ("Promote staging -> prod", "Promote staging <- prod"),
            ("Scale width ÷ 2", "Scale width × 2"),
            ("Names match `^a+$`", "Names match `^a*$`"),
            ("Names match ^a+$", "Names match ^a*$"),
            ("The area is a*b", "The area is a+b"),
            ("The area is a * b", "The area is a + b"),
            ("total = net + tax", "total = net - tax"),
            ("retries < 3", "retries > 3"),
            ("retries <= 3", "retries >= 3"),
            ("retries ≤ 3", "retries ≥ 3"),
            ("check a == b", "check a != b"),
            ("pipe a | b", "pipe a & b"),
            ("The backup cron is 0 0 * * *", "The backup cron is 0 * 0 * *"),
            ("The parser needs Python 3.10+", "The parser needs Python 3.10"),
            ("The regex is `[a-z]`", "The regex is `[^a-z]`"),
            (
                "- [x] write the docs of the gateway",
                "- [ ] write the docs of the gateway",
            ),
            ("The gate scores ★★★", "The gate scores ★★"),
            ("Kosten × 2", "Kosten ÷ 2"),
        ],
    );
}

#[test]
fn punctuation_that_is_the_value_counts() {
    assert_verdict(
        false,
        &[
            ("The CSV separator is \";\"", "The CSV separator is \",\""),
            ("The CSV separator is `;`.", "The CSV separator is `,`."),
            ("Delimiter is ; in exports", "Delimiter is , in exports"),
            ("Delimiter is ;", "Delimiter is ,"),
            ("Delimiter is: ;", "Delimiter is: ,"),
            ("Separator `;`, decimal `,`", "Separator `,`, decimal `;`"),
            ("The decimal sign is .", "The decimal sign is ,"),
            ("The decimal sign . is used", "The decimal sign , is used"),
            ("Comments start with #", "Comments start with //"),
            ("Comments start with `#`", "Comments start with `//`"),
            ("The escape character is \\", "The escape character is /"),
            ("Escape with `\\`", "Escape with `/`"),
            ("The wildcard is %", "The wildcard is *"),
            ("Pass the flag -v", "Pass the flag --v"),
            ("Pass the flag `-v`", "Pass the flag `--v`"),
            ("Das Trennzeichen ist „;“", "Das Trennzeichen ist „,“"),
            ("El separador es ;", "El separador es ,"),
            ("Le séparateur est « ; »", "Le séparateur est « , »"),
            ("O separador é ;", "O separador é ,"),
            ("Разделитель — «;»", "Разделитель — «,»"),
            ("区切り文字は「;」です", "区切り文字は「,」です"),
            ("分隔符是“;”", "分隔符是“,”"),
        ],
    );
}

#[test]
fn forms_of_ordinary_words_and_punctuation_make_no_difference() {
    assert_verdict(
        true,
        &[
            ("Run the test before a release", "run tests before the release"),
            ("The job runs in CI", "the jobs run in CI"),
            ("It stopped the worker", "it stops the workers"),
            ("The policies are public", "The policy is public"),
            ("The processes are slow", "The process is slow"),
            ("The building settings", "The buildings setting"),
            ("Retried uploads need a token", "retries of uploads need tokens"),
            ("PRs need two reviews", "A PR needs two reviews"),
            ("The gateway uses HTTPS.", "the gateway uses https"),
            ("- Lint first\n- Build second", "* lint first\n* build second"),
            ("1. Lint first\n2. Build second", "- lint first\n- build second"),
            ("# Cache\nThe cache is cold", "Cache\nthe cache is cold"),
            ("**Note:** the cache is cold", "Note: the cache is cold"),
            ("**Cache** is *cold*", "cache is cold"),
            ("The \"cache\" is cold.", "The cache is cold"),
            ("The `cache` is cold", "the cache is cold!"),
            ("The cache (in CI) is cold", "the cache, in CI, is cold"),
            ("The cache - in CI - is cold", "the cache — in CI — is cold"),
            ("The cache is cold; warm it up", "The cache is cold. Warm it up."),
            ("E.g. the cache is cold", "e.g., the cache is cold"),
            ("The deploy is done 🎉", "The deploy is done"),
            ("🚀 The deploy is done", "The deploy is done"),
            ("✅ The deploy is done", "The deploy is done"),
            ("⚠️ The cache is cold", "The cache is cold"),
            ("Windows ✓, macOS ✗", "Windows ✅, macOS ❌"),
            ("Promote staging → prod", "Promote staging -> prod"),
            ("The fee is 5 €", "the fee is 5€."),
            ("The loss is 5% of it", "the loss is 5 percent of it"),
            ("See ./src/pool.ts first", "see src/pool.ts first"),
            ("Le port est 8080 ; il est fixe !", "Le port est 8080; il est fixe!"),
            ("Der Cache ist „kalt“", "der Cache ist kalt."),
            ("キャッシュは「冷たい」です。", "キャッシュは冷たいです"),
            ("缓存是冷的。", "缓存是冷的"),
            ("Кэш «холодный».", "кэш холодный"),
            ("Issue #12 is fixed", "issue 12 is fixed"),
            ("Deploys go out on Thursdays", "deploys go out on thursday"),
            ("NEVER RUN IT IN BAND", "never run it in band"),
            ("Use <= 3 retries", "use ≤ 3 retries"),
            ("We allow read/write access", "we allow read / write access"),
        ],
    );
}
