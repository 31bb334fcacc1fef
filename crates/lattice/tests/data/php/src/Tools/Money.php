<?php
namespace Shop\Tools;

final class Money
{
    public function round(int $n): int { return $n; }
}
